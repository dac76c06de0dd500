import { createClient } from '@sluice/client'

/** Client that uses the session cookie. */
export const client = createClient({ retry: false }) // pages retry by themselves, see patiently.ts
