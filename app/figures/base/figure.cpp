#include "app/figures/base/figure.h"

namespace headlight::figures {

Data::Data() = default;
Data::Data(std::string its_name, Tensor its_values, Axes its_axes, std::vector<std::vector<std::string>> its_labels)
    : name(std::move(its_name)), values(std::move(its_values)), axes(std::move(its_axes)), labels(std::move(its_labels)) {}
Data::Data(const Data& other) = default;
Data::Data(Data&& other) noexcept = default;
Data& Data::operator=(const Data& other) = default;
Data& Data::operator=(Data&& other) noexcept = default;
Data::~Data() = default;

Figure::Figure() = default;
Figure::Figure(const Figure& other) = default;
Figure::Figure(Figure&& other) noexcept = default;
Figure& Figure::operator=(const Figure& other) = default;
Figure& Figure::operator=(Figure&& other) noexcept = default;
Figure::~Figure() = default;

}  // namespace headlight::figures
