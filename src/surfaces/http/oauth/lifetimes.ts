/** A request waits for the owner's word for so long. */
export const REQUEST_SECONDS = 600
/** A program that registered and was allowed nothing is forgotten after this. */
export const UNUSED_CLIENT_SECONDS = 86_400
