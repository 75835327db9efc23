//! What wasm-smith may put into a random module so that our machine can load it.

use wasm_smith::Config;

/// The features that the machine has and other engines too, and none of the others; not exceptions, which wasmi does not have. Memories and tables must declare a maximum size.
pub fn supported() -> Config {
    Config {
        memory_max_size_required: true,
        table_max_size_required: true,
        bulk_memory_enabled: true,
        multi_value_enabled: true,
        reference_types_enabled: true,
        saturating_float_to_int_enabled: true,
        sign_extension_ops_enabled: true,
        acquire_release_atomics_enabled: false,
        compact_imports_enabled: false,
        custom_descriptors_enabled: false,
        custom_page_sizes_enabled: false,
        exceptions_enabled: false,
        extended_const_enabled: false,
        gc_enabled: false,
        memory64_enabled: false,
        multibyte_array_access_enabled: false,
        relaxed_simd_enabled: false,
        shared_everything_threads_enabled: false,
        simd_enabled: false,
        tail_call_enabled: false,
        threads_enabled: false,
        wide_arithmetic_enabled: false,
        ..Config::default()
    }
}
