/** Changes when documents are cut or redacted otherwise than before: what is in is then made anew. */
export const INDEX_FORM = 1

/** Changes with the table and with how words are counted: an index of another form is made anew. */
export const STATIC_EMBEDDER = 'codevec-128/1'
