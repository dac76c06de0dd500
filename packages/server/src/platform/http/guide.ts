import type { ErrorAction } from '@sluice/contract'

/** Where the documentation is shown to people: see `interface/guide`. */
export const guidePath = '/docs/guide/'

/**
 * Leads to the section of the guide that tells what to do about a code.
 * @param origin of this service, as the caller reaches it: `https://sluice.example.com`
 */
export const whatToDo = (code: string, origin: string): ErrorAction => ({
  label: 'What to do',
  url: `${origin}${guidePath}errors.html#${code.toLowerCase().replaceAll(':', '')}`,
})
