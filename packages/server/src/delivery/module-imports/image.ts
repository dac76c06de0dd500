/**
 * Returns the repository of `REPOSITORY:TAG`, `REPOSITORY@DIGEST`, both, or `REPOSITORY`. A colon before a slash
 * belongs to a port.
 */
export const repositoryOf = (image: string): string => image.replace(/@.*$/, '').replace(/:[^/:]*$/, '')

/** Returns the digest of an image reference, which takes precedence over the tag, or otherwise the tag. */
export const referenceIn = (image: string): string =>
  image.split('@')[1] ?? (image.slice(repositoryOf(image).length + 1) || 'latest')
