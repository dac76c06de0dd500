import { createClient } from '@sluice/client'

/** Speaks for whoever the session cookie says. */
export const client = createClient({ retry: false }) // pages say that they try again: patiently.ts
