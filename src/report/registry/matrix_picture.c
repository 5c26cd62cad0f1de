/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses rows and columns of a matrix and says where each cell stands. */
#include "report/registry/matrix_picture.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

const char *sy_standing_word(sy_standing standing)
{
    static const char *const words[SY_STANDING_COUNT] = {"measured", "partial", "gap", "unsupported", "missing"};

    return (unsigned)standing < SY_STANDING_COUNT ? words[standing] : "unknown";
}

sy_standing sy_matrix_cell_standing(const sy_matrix_cell *cell)
{
    if (cell == NULL)
        return SY_STANDING_MISSING;
    if (sy_text_equal(cell->state, "unsupported"))
        return SY_STANDING_UNSUPPORTED;
    if (cell->measured_gates == 0)
        return SY_STANDING_GAP;
    /* What its authors call a gap is not whole, even where each of its gates is measured. */
    return cell->open_gates == 0 && sy_text_equal(cell->state, "ready") ? SY_STANDING_MEASURED : SY_STANDING_PARTIAL;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool equal_any_case(const char *a, const char *b)
{
    while (*a != '\0' && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

/* The names that are asked for: all of them where `asked` is NULL. */
static sy_status choose(sy_arena *arena, const char *const *names, size_t count, const char *what, const char *asked,
                        const char ***ret_names, size_t *ret_count, sy_error *err)
{
    const char **chosen = sy_arena_allocate(arena, count + 1, sizeof(*chosen));
    size_t found = 0;

    if (chosen == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a picture of the matrix");
    for (size_t i = 0; i < count; i++) {
        if (asked == NULL || equal_any_case(names[i], asked))
            chosen[found++] = names[i];
    }
    if (found == 0 && asked != NULL) {
        sy_text all = SY_TEXT_INIT;

        for (size_t i = 0; i < count; i++)
            sy_text_append_format(&all, "%s%s", i > 0 ? ", " : "", names[i]);
        (void)sy_fail(err, SY_NOT_FOUND, "the matrix has no %s '%s'", what, asked);
        sy_error_hint(err, "it has: %s", count > 0 ? sy_text_bytes(&all) : "none");
        sy_text_finish(&all);
        return SY_NOT_FOUND;
    }
    *ret_names = chosen;
    *ret_count = found;
    return SY_OK;
}

/* Cells mostly come in the order in which they are asked for: the search goes on where the last one ended. */
static const sy_matrix_cell *find(const sy_matrix *matrix, size_t *cursor, const char *capability, const char *backend)
{
    for (size_t i = 0; i < matrix->cell_count; i++) {
        const sy_matrix_cell *cell = &matrix->cells[(*cursor + i) % matrix->cell_count];

        if (sy_text_equal(cell->capability, capability) && sy_text_equal(cell->backend, backend)) {
            *cursor = (*cursor + i + 1) % matrix->cell_count;
            return cell;
        }
    }
    return NULL;
}

static void fill(const sy_matrix *matrix, sy_matrix_picture *picture)
{
    size_t cursor = 0;

    for (size_t i = 0; i < picture->capability_count; i++) {
        for (size_t j = 0; j < picture->backend_count; j++) {
            const sy_matrix_cell *cell = find(matrix, &cursor, picture->capabilities[i], picture->backends[j]);

            picture->cells[i * picture->backend_count + j] = cell;
            picture->counts[sy_matrix_cell_standing(cell)]++;
            picture->open_gates += cell != NULL ? cell->open_gates : 0;
        }
    }
}

sy_status sy_matrix_picture_make(sy_arena *arena, const sy_report_matrix_view *view, sy_matrix_picture *ret_picture,
                                 sy_error *err)
{
    const sy_matrix *matrix = view->matrix;
    sy_matrix_picture picture = {.capabilities = NULL};
    sy_status status = choose(arena, matrix->capabilities, matrix->capability_count, "capability", view->capability,
                              &picture.capabilities, &picture.capability_count, err);

    if (status == SY_OK)
        status = choose(arena, matrix->backends, matrix->backend_count, "backend", view->backend, &picture.backends,
                        &picture.backend_count, err);
    if (status != SY_OK)
        return status;
    if (picture.capability_count > 0 && picture.backend_count > SIZE_MAX / picture.capability_count)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a picture of the matrix");
    picture.cells = sy_arena_allocate(arena, picture.capability_count * picture.backend_count + 1,
                                      sizeof(*picture.cells));
    if (picture.cells == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a picture of the matrix");
    fill(matrix, &picture);
    *ret_picture = picture;
    return SY_OK;
}

const sy_matrix_cell *sy_matrix_picture_cell(const sy_matrix_picture *picture, size_t capability, size_t backend)
{
    return picture->cells[capability * picture->backend_count + backend];
}
