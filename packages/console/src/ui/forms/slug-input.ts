/** Props of the field for a record's ID. */
export const slugInput = {
  name: 'givenId',
  label: 'ID',
  description: 'Lowercase letters, digits, and hyphens. Must be unique in its scope.',
  placeholder: 'web-shop',
  required: true,
  pattern: '[a-z0-9]([a-z0-9\\-]{0,61}[a-z0-9])?',
} as const

/** Converts a name to lowercase letters, digits and inner hyphens, as the API requires for IDs. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '') // splits é into e and an accent
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+/g, '')
    .slice(0, 63)
    .replaceAll(/-+$/g, '')
