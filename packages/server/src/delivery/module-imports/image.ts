/** `REPOSITORY:TAG`, `REPOSITORY@DIGEST` or `REPOSITORY`; a colon before a slash is that of a port. */
export const repositoryOf = (image: string): string => image.replace(/@.*$/, '').replace(/:[^/:]*$/, '')

export const referenceIn = (image: string): string => image.slice(repositoryOf(image).length + 1) || 'latest'
