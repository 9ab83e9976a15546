// Index-based attention as plain loops over float or double, both ways.
#pragma once

#include <cstdint>

#include "engine/operations/isdpa.h"

namespace headlight::operations::plain {

// Arrays in C order, of the shapes that Isdpa says; null where an output is not kept.
template <class Real>
struct IsdpaArrays {
  const Real *f = nullptr, *p = nullptr;
  const Real *wq = nullptr, *wk = nullptr, *wv = nullptr;     // [d,d], act on F's rows
  const Real *pwq = nullptr, *pwk = nullptr, *pwv = nullptr;  // [d,d], act on P's rows
  const std::int32_t* ids = nullptr;
  Real *q = nullptr, *k = nullptr, *v = nullptr;
  Real *mm = nullptr, *mp = nullptr, *pm = nullptr, *pp = nullptr;
  Real *qk = nullptr, *score = nullptr, *result = nullptr;
};

// False: cancelled. isdpa(op, arrays, {}) writes every output whose pointer is not null.
template <class Real>
bool isdpa(const Isdpa& op, const IsdpaArrays<Real>& arrays, const CancelToken& cancel);
extern template bool isdpa(const Isdpa&, const IsdpaArrays<float>&, const CancelToken&);
extern template bool isdpa(const Isdpa&, const IsdpaArrays<double>&, const CancelToken&);

}  // namespace headlight::operations::plain
