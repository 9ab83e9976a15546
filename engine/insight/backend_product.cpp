#include "engine/insight/backend_product.h"

#include "engine/operations/linear.h"

namespace headlight {

Result<backends::Buffer> backend_product(backends::Backend& backend, const backends::Buffer& x, const backends::Buffer& w,
                                         const CancelToken& cancel) {
  const std::vector<backends::Buffer> in = {x, w};
  HL_ASSIGN(const std::vector<backends::Buffer> out,
            backend.apply(operations::Linear{x.shape()[0], x.shape()[1], w.shape()[1]}, in, cancel));
  return out.front();
}

}  // namespace headlight
