import type { ErrorAction } from '@sluice/contract'

/** Path of the guide pages; see `interface/guide`. */
export const guidePath = '/docs/guide/'

/**
 * Returns the link to the section of the guide about an error code.
 * @param origin of this service, as the caller reaches it: `https://sluice.example.com`
 */
export const errorHelpLink = (code: string, origin: string): ErrorAction => ({
  label: 'What to do',
  url: `${origin}${guidePath}errors.html#${code.toLowerCase().replaceAll(':', '')}`,
})
