import { fileURLToPath } from 'node:url'

/** Where `npm run build` puts the guide, as files that any web server can serve. */
export const directory = fileURLToPath(new URL('./dist/', import.meta.url))
