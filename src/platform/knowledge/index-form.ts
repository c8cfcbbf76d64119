/** Changes when documents are cut, counted or redacted otherwise: what is in is then made anew. */
export const INDEX_FORM = 5

/** Changes with the table and with how words are counted: an index of another form is made anew. */
export const STATIC_EMBEDDER = 'codevec-128/2'
