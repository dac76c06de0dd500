import { fileURLToPath } from 'node:url'

/** Directory of the built console, to be served as static files. */
export const directory = fileURLToPath(new URL('./dist/', import.meta.url))
