// The functions of the model, each in its place of DuckDB's struct (duckdb_api.h says which place is whose).
#include "duckdb_model.hpp"

namespace model {

std::vector<Function> registered;

bool is_utf8(const char *bytes, size_t length) {
    const unsigned char *at = reinterpret_cast<const unsigned char *>(bytes), *end = at + length;
    while (at < end) {
        unsigned char c = *at++;
        int more = c < 0x80 ? 0 : c >= 0xC2 && c < 0xE0 ? 1 : c >= 0xE0 && c < 0xF0 ? 2 : c >= 0xF0 && c < 0xF5 ? 3 : -1;
        if (more < 0 || end - at < more)
            return false;
        if ((c == 0xE0 && at[0] < 0xA0) || (c == 0xED && at[0] > 0x9F) || (c == 0xF0 && at[0] < 0x90) || (c == 0xF4 && at[0] > 0x8F))
            return false;
        for (int i = 0; i < more; i++)
            if ((*at++ & 0xC0) != 0x80)
                return false;
    }
    return true;
}

static Type *new_type(int id) { Type *made = new Type; made->id = id; return made; }
static Type *new_list(Type *of) { Type *made = new_type(LIST); made->children = {*of}; return made; }
static Type *new_decimal(uint8_t width, uint8_t scale) {
    Type *made = new_type(DECIMAL);
    made->width = width;
    made->scale = scale;
    return made;
}
static Type *new_struct(Type **of, const char **names, uint64_t count) {
    Type *made = new_type(STRUCT);
    for (uint64_t i = 0; i < count; i++) {
        made->children.push_back(*of[i]);
        made->names.push_back(names[i]);
    }
    return made;
}
static void destroy_type(Type **type) { delete *type; *type = nullptr; }
static int type_id(Type *type) { return type->id; }
static uint8_t decimal_width(Type *type) { return uint8_t(type->width); }
static uint8_t decimal_scale(Type *type) { return uint8_t(type->scale); }
static int decimal_internal(Type *type) { return type->internal(); }
static uint64_t struct_count(Type *type) { return type->children.size(); }
static char *struct_name(Type *type, uint64_t i) { return strdup(type->names.at(i).c_str()); }

static uint64_t column_count(Chunk *chunk) { return chunk->columns.size(); }
static Vector *column(Chunk *chunk, uint64_t i) { return chunk->columns.at(i).get(); }
static uint64_t chunk_size(Chunk *chunk) { return chunk->rows; }
static Type *vector_type(Vector *vector) { return new Type(vector->type); }
static void *vector_data(Vector *vector) { return vector->data.bytes.get(); }
static uint64_t *vector_validity(Vector *vector) { return vector->validity(); }
static void make_writable(Vector *vector) { if (!vector->masked) vector->grow_mask(vector->capacity); }
static void assign(Vector *vector, uint64_t row, const char *bytes, uint64_t length) {
    if (row >= vector->capacity)
        abort();
    vector->set_text(row, bytes, length);
}
static Vector *list_child(Vector *vector) { return vector->children.at(0).get(); }
static uint64_t list_size(Vector *vector) { return vector->list_size; }
static int set_list_size(Vector *vector, uint64_t size) { list_child(vector)->reserve(size); vector->list_size = size; return 0; }
static int reserve_list(Vector *vector, uint64_t size) { list_child(vector)->reserve(size); return 0; }
static Vector *struct_child(Vector *vector, uint64_t i) { return vector->children.at(i).get(); }

static Function *new_function() { return new Function; }
static void destroy_function(Function **function) { delete *function; *function = nullptr; }
static void set_name(Function *function, const char *name) { function->name = name; }
static void add_parameter(Function *function, Type *type) { function->parameters.push_back(*type); }
static void set_result(Function *function, Type *type) { function->result = *type; }
static void set_extra(Function *function, void *extra, void (*)(void *)) { function->extra = extra; }
static void set_run(Function *function, scalar_callback run) { function->run = run; }
static int keep(void *, Function *function) { registered.push_back(*function); return 0; }
static void set_aggregate(Function *function, decltype(Function::state_size) size, decltype(Function::state_init) init,
                          decltype(Function::update) update, decltype(Function::combine) combine, decltype(Function::finalize) finalize) {
    function->state_size = size;
    function->state_init = init;
    function->update = update;
    function->combine = combine;
    function->finalize = finalize;
}
static void set_destructor(Function *function, decltype(Function::destroy) destroy) { function->destroy = destroy; }
static void *extra_of(Info *info) { return info->extra; }
static void *cancellation_of(Info *info) { return info->cancellation; }
static void set_error(Info *info, const char *message) { info->failed = true; info->message = message; }
static void nothing() {}
static int connect(void *, void **connection) { *connection = nullptr; return 0; }
static int query(void *, const char *, void *) { return 0; }

const void *api(void *, const char *) {
    static void *slots[548];
    auto at = [](int slot, auto function) { slots[slot] = reinterpret_cast<void *>(function); };
    for (void *&slot : slots)
        slot = nullptr; // what is not modelled crashes
    at(3, connect); at(6, nothing); at(13, query); at(25, free);
    at(156, new_type); at(159, new_list); at(163, new_struct); at(165, new_decimal); at(166, type_id); at(167, decimal_width);
    at(168, decimal_scale); at(169, decimal_internal); at(178, struct_count); at(179, struct_name); at(184, destroy_type);
    at(189, column_count); at(190, column); at(191, chunk_size); at(193, vector_type); at(194, vector_data); at(195, vector_validity);
    at(196, make_writable); at(198, assign); at(199, list_child); at(200, list_size); at(201, set_list_size); at(202, reserve_list);
    at(203, struct_child); at(209, new_function); at(210, destroy_function); at(211, set_name); at(213, nothing); at(214, nothing); at(215, add_parameter);
    at(216, set_result); at(217, set_extra); at(218, set_run); at(219, keep); at(220, extra_of); at(221, set_error);
    at(226, new_function); at(227, destroy_function); at(228, set_name); at(229, add_parameter); at(230, set_result);
    at(231, set_aggregate); at(232, set_destructor); at(233, keep); at(234, nothing); at(235, set_extra); at(236, extra_of);
    at(237, set_error); at(511, nothing); at(515, cancellation_of); at(545, assign);
    return slots;
}

} // namespace model
