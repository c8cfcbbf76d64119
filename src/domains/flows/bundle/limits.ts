/** Most summaries one flow_list answer carries. */
export const MAX_FLOW_SUMMARIES = 200
/** Most steps one flow_get answer carries. */
export const MAX_STEPS_PER_FLOW = 100
/** Most steps a stored flow may have: above the answer's cap, so that cutting an answer can happen. */
export const MAX_STORED_STEPS = 1000
/** Highest ordinal: leaves room for gaps and fits every database's integer column. */
export const MAX_ORDINAL = 1_000_000
/** Most UTF-8 bytes of a rendered projection. */
export const MAX_RENDERED_BYTES = 65_536

/** Most tags of a flow. */
export const MAX_TAGS = 32
/** Most entries of any inputs, outputs, requires or skill_refs list. */
export const MAX_PORTS = 32
/** Most boundaries of a step. */
export const MAX_BOUNDARIES = 50

/** Longest version: keeps each part under 100 digits, which the sort key counts on. */
export const MAX_VERSION_CHARS = 64
/** Longest ISO timestamp: nanoseconds and an offset fit. */
export const MAX_TIMESTAMP_CHARS = 40
/** Longest title. The four flow texts below are small enough that a rendered header always fits its cap. */
export const MAX_TITLE_CHARS = 200
/** Longest flow summary. */
export const MAX_SUMMARY_CHARS = 2000
/** Longest tag. */
export const MAX_TAG_CHARS = 64
/** Longest path of the flow's mirror note inside the vault. */
export const MAX_MIRROR_PATH_CHARS = 512
/** Longest type word of an input or output. */
export const MAX_TYPE_CHARS = 64
/** Longest opaque id in requires or skill_refs. */
export const MAX_REF_ID_CHARS = 256
/** Longest owned_job of a step. */
export const MAX_OWNED_JOB_CHARS = 500
/** Longest instruction of a step. */
export const MAX_INSTRUCTION_CHARS = 20_000
/** Longest trigger, when_not_to_run or verification description. */
export const MAX_CONDITION_CHARS = 2000
/** Longest single boundary. */
export const MAX_BOUNDARY_CHARS = 1000
/** Longest output_shape. */
export const MAX_OUTPUT_SHAPE_CHARS = 4000
