/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the convolutions on ggml, for those who build others of them. */
#ifndef STEELYARD_BACKENDS_GGML_GGML_CONVOLUTION_H
#define STEELYARD_BACKENDS_GGML_GGML_CONVOLUTION_H

#include "backends/ggml/ggml_suites.h"
#include "operations/convolution.h"
#include "operations/engine/convolution_3d.h"

struct ggml_context;

typedef enum sy_ggml_convolution_kind { SY_GGML_DENSE, SY_GGML_DEPTHWISE, SY_GGML_DENSE_3D } sy_ggml_convolution_kind;

/* The tensors of a case in a graph's context. */
typedef struct sy_ggml_convolution {
    sy_ggml_convolution_kind kind;
    struct ggml_context *context;
    struct ggml_tensor *source;       /* [W, H, C, N]; of three dimensions [W, H, D, N C] */
    struct ggml_tensor *weights;      /* [KW, KH, C / groups, F]; of three dimensions [KW, KH, KD, F C] */
    sy_convolution_shape shape;       /* of the first two kinds */
    sy_convolution_3d_shape shape_3d; /* of the third */
} sy_ggml_convolution;

/* Lends the context and registers the inputs. Leaves the graph unavailable, and *ret_begun false, for groups that ggml
 * has no operation for and for sizes beyond its integers. Errors: those of the case's tensors and of sy_ggml_input. */
sy_status sy_ggml_convolution_begin(const sy_case *c, sy_ggml_convolution_kind kind, sy_graph *graph,
                                    sy_ggml_convolution *ret_convolution, bool *ret_begun, sy_error *err) SY_NODISCARD;

/* The output, contiguous: [OW, OH, F, N], of three dimensions [OW, OH, OD, N F]. */
struct ggml_tensor *sy_ggml_convolution_im2col(const sy_ggml_convolution *convolution);
struct ggml_tensor *sy_ggml_convolution_direct(const sy_ggml_convolution *convolution);

#endif
