/** YAML is read as the service reads files. In a file of its own: the editor and the pages that show a text share it. */
export const yamlOptions = { logLevel: 'error', merge: true } as const
