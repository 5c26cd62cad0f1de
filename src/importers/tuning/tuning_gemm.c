/* SPDX-License-Identifier: Apache-2.0 */
/* The problem that a line of TunableOp names, as a portable key and back. BLAS counts columns first: its product of M x
 * N is a row-major one of N rows and M columns, so that m here is N there. Only what has exactly one way to be written
 * is taken apart; all else stays a text. */
#include <string.h>

#include "importers/tuning/tuning_readers.h"

static const struct {
    const char *foreign;
    const char *word;
} dtypes[] = {{"float", "f32"}, {"double", "f64"}, {"Half", "f16"}, {"BFloat16", "bf16"}};
enum { DTYPE_COUNT = sizeof dtypes / sizeof *dtypes };

enum { M, N, K, BATCH, LDA, LDB, LDC, NUMBER_COUNT };

/* A product with all of its parts. */
typedef struct product {
    sy_tuning_span kind; /* "GemmTunableOp" */
    sy_tuning_span dtype;
    char transposes[2]; /* 'N', 'T', 'C' */
    int64_t numbers[NUMBER_COUNT];
    bool has_batch;
    bool has_leading;
} product;

static bool is_transpose(char c)
{
    return c == 'N' || c == 'T' || c == 'C';
}

/* "GemmTunableOp_Half_TN": three parts, of which the second may have underscores of its own. */
static bool split_op(sy_tuning_span op, product *p)
{
    sy_tuning_span rest = op;

    p->kind = sy_tuning_cut(&rest, '_');
    if (p->kind.length == 0 || rest.length < 4 || rest.at[rest.length - 3] != '_' ||
        !is_transpose(rest.at[rest.length - 2]) || !is_transpose(rest.at[rest.length - 1]))
        return false;
    p->dtype = (sy_tuning_span){rest.at, rest.length - 3};
    memcpy(p->transposes, rest.at + rest.length - 2, 2);
    for (size_t i = 0; i < DTYPE_COUNT; i++) {
        if (sy_tuning_span_is(p->dtype, dtypes[i].word))
            return false; /* it would read as the tuner's own word for it */
    }
    return true;
}

static bool take_numbers(sy_tuning_span *rest, int64_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sy_tuning_span digits = sy_tuning_cut(rest, '_');

        if (!sy_tuning_whole(digits, &to[i]) || to[i] < 1)
            return false;
    }
    return true;
}

/* "tn_M_N_K[_B_batch][_ld_a_b_c]" */
static bool split_params(sy_tuning_span params, product *p)
{
    sy_tuning_span rest = params;
    sy_tuning_span letters = sy_tuning_cut(&rest, '_');
    sy_tuning_span word;

    if (letters.length != 2 || letters.at[0] != p->transposes[0] + 32 || letters.at[1] != p->transposes[1] + 32 ||
        !take_numbers(&rest, p->numbers, 3) || params.at[params.length - 1] == '_')
        return false;
    p->numbers[BATCH] = 1;
    if (rest.length == 0)
        return true;
    word = sy_tuning_cut(&rest, '_');
    if (sy_tuning_span_is(word, "B")) {
        p->has_batch = take_numbers(&rest, &p->numbers[BATCH], 1);
        if (!p->has_batch || rest.length == 0)
            return p->has_batch;
        word = sy_tuning_cut(&rest, '_');
    }
    p->has_leading = sy_tuning_span_is(word, "ld") && take_numbers(&rest, &p->numbers[LDA], 3) && rest.length == 0;
    return p->has_leading;
}

/* A product that `matmul` has exactly: of dense row-major matrices, none of them transposed, in f32. */
static bool is_matmul(const product *p)
{
    return sy_tuning_span_is(p->kind, "GemmTunableOp") && sy_tuning_span_is(p->dtype, "float") &&
           memcmp(p->transposes, "NN", 2) == 0 && !p->has_batch && p->has_leading && p->numbers[LDA] == p->numbers[M] &&
           p->numbers[LDB] == p->numbers[K] && p->numbers[LDC] == p->numbers[M];
}

static void add_dtype(sy_tuning_draft *draft, sy_tuning_structure *structure, sy_tuning_span dtype)
{
    for (size_t i = 0; i < DTYPE_COUNT; i++) {
        if (sy_tuning_span_is(dtype, dtypes[i].foreign))
            dtype = (sy_tuning_span){dtypes[i].word, strlen(dtypes[i].word)};
    }
    sy_tuning_property(draft, structure, "dtype", dtype.at, dtype.length);
}

void sy_tuning_gemm_key(sy_tuning_draft *draft, sy_tuning_span op, sy_tuning_span params, sy_tuning_gemm *ret_gemm)
{
    product p = {0};
    sy_tuning_gemm gemm = {.structure = {.count = 0}};

    if (!split_op(op, &p) || !split_params(params, &p)) {
        gemm.operator_name = sy_tuning_copy(draft, op.at, op.length);
        sy_tuning_property(draft, &gemm.structure, "params", params.at, params.length);
        *ret_gemm = gemm;
        return;
    }
    add_dtype(draft, &gemm.structure, p.dtype);
    if (is_matmul(&p)) {
        gemm.operator_name = "matmul";
        sy_tuning_property_whole(draft, &gemm.structure, "m", p.numbers[N]);
        sy_tuning_property_whole(draft, &gemm.structure, "n", p.numbers[M]);
    } else {
        gemm.operator_name = sy_tuning_copy(draft, p.kind.at, p.kind.length);
        sy_tuning_property_whole(draft, &gemm.structure, "m", p.numbers[M]);
        sy_tuning_property_whole(draft, &gemm.structure, "n", p.numbers[N]);
        sy_tuning_property(draft, &gemm.structure, "transposes", p.transposes, 2);
        if (p.has_leading) {
            sy_tuning_property_whole(draft, &gemm.structure, "lda", p.numbers[LDA]);
            sy_tuning_property_whole(draft, &gemm.structure, "ldb", p.numbers[LDB]);
            sy_tuning_property_whole(draft, &gemm.structure, "ldc", p.numbers[LDC]);
        }
    }
    sy_tuning_property_whole(draft, &gemm.structure, "k", p.numbers[K]);
    if (p.has_batch || is_matmul(&p))
        sy_tuning_property_whole(draft, &gemm.structure, "batch", p.numbers[BATCH]);
    *ret_gemm = gemm;
}

const char *sy_tuning_value(const sy_profile_key *key, const char *name)
{
    for (size_t i = 0; i < key->structure_count; i++) {
        if (strcmp(key->structure[i].name, name) == 0)
            return key->structure[i].value;
    }
    return NULL;
}

bool sy_tuning_value_whole(const sy_profile_key *key, const char *name, int64_t *ret_value)
{
    const char *value = sy_tuning_value(key, name);

    return value != NULL && sy_tuning_whole((sy_tuning_span){value, strlen(value)}, ret_value);
}

static bool is_plain(const char *text)
{
    return text[0] != '\0' && strpbrk(text, ",\r\n") == NULL;
}

static bool matmul_text(const sy_profile_key *key, sy_text *to)
{
    int64_t m;
    int64_t n;
    int64_t k;
    int64_t batch;

    if (key->structure_count != 5 || !sy_tuning_value_whole(key, "m", &m) || !sy_tuning_value_whole(key, "n", &n) ||
        !sy_tuning_value_whole(key, "k", &k) || !sy_tuning_value_whole(key, "batch", &batch) || batch != 1 ||
        !sy_text_equal(sy_tuning_value(key, "dtype"), "f32"))
        return false;
    sy_text_append_format(to, "GemmTunableOp_float_NN,nn_%lld_%lld_%lld_ld_%lld_%lld_%lld", (long long)n, (long long)m,
                          (long long)k, (long long)n, (long long)k, (long long)n);
    return true;
}

bool sy_tuning_gemm_text(const sy_profile_key *key, sy_text *to)
{
    const char *dtype = sy_tuning_value(key, "dtype");
    const char *transposes = sy_tuning_value(key, "transposes");
    const char *params = sy_tuning_value(key, "params");
    const char *batch = sy_tuning_value(key, "batch");
    const char *leading = sy_tuning_value(key, "lda");
    const char *const sizes[] = {sy_tuning_value(key, "m"), sy_tuning_value(key, "n"), sy_tuning_value(key, "k")};
    size_t known = 5 + (batch != NULL) + (leading != NULL ? 3 : 0);

    if (sy_text_equal(key->operator_name, "matmul"))
        return matmul_text(key, to);
    if (params != NULL && key->structure_count == 1 && is_plain(key->operator_name) && is_plain(params)) {
        sy_text_append_format(to, "%s,%s", key->operator_name, params);
        return true;
    }
    if (dtype == NULL || transposes == NULL || strlen(transposes) != 2 || key->structure_count != known ||
        sizes[0] == NULL || sizes[1] == NULL || sizes[2] == NULL || !is_plain(key->operator_name) || !is_plain(dtype) ||
        (leading != NULL && (sy_tuning_value(key, "ldb") == NULL || sy_tuning_value(key, "ldc") == NULL)))
        return false;
    for (size_t i = 0; i < DTYPE_COUNT; i++) {
        if (strcmp(dtype, dtypes[i].word) == 0)
            dtype = dtypes[i].foreign;
    }
    sy_text_append_format(to, "%s_%s_%s,%c%c_%s_%s_%s", key->operator_name, dtype, transposes, transposes[0] + 32,
                          transposes[1] + 32, sizes[0], sizes[1], sizes[2]);
    if (batch != NULL)
        sy_text_append_format(to, "_B_%s", batch);
    if (leading != NULL)
        sy_text_append_format(to, "_ld_%s_%s_%s", leading, sy_tuning_value(key, "ldb"), sy_tuning_value(key, "ldc"));
    return true;
}
