/**
 * Replaces the version of Sluice in a text: of images, packages, archives, actions and components. Versions of others,
 * such as of an event format, stay.
 */
export const withVersion = (text: string, previous: string, version: string): string =>
  text.replaceAll(
    new RegExp(
      String.raw`((?:[Ss]luice\S{0,60}?[:@/ -]v?|newTag: ))${previous.replaceAll('.', '\\.')}(?![\w.]*\d)`,
      'gm',
    ),
    (_, before: string) => before + version,
  )
