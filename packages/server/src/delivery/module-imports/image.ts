/** `REPOSITORY:TAG`, `REPOSITORY@DIGEST`, both or `REPOSITORY`; a colon before a slash is that of a port. */
export const repositoryOf = (image: string): string => image.replace(/@.*$/, '').replace(/:[^/:]*$/, '')

/** Its digest, which counts whatever the tag is, else its tag. */
export const referenceIn = (image: string): string =>
  image.split('@')[1] ?? (image.slice(repositoryOf(image).length + 1) || 'latest')
