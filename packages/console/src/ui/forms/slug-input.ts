/** What a field asks for that takes the name by which programs and templates know a record. */
export const slugInput = {
  name: 'givenId',
  label: 'ID',
  description: 'Lowercase letters, digits, and hyphens. Must be unique in its scope.',
  placeholder: 'web-shop',
  required: true,
  pattern: '[a-z0-9]([a-z0-9\\-]{0,61}[a-z0-9])?',
} as const

/** A name as lower-case letters, digits and inner hyphens, as the interface wants its ids. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '') // é is e and an accent
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+/g, '')
    .slice(0, 63)
    .replaceAll(/-+$/g, '')
