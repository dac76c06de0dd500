/** YAML options that match the server's. In a separate file, because pages without the editor use them, too. */
export const yamlOptions = { logLevel: 'error', merge: true } as const
