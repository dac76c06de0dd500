/**
 * Options that read YAML as the service does. They have a file of their own, because the editor shares them with pages
 * that load without it.
 */
export const yamlOptions = { logLevel: 'error', merge: true } as const
