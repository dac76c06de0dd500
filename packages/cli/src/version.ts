import manifest from '../package.json' with { type: 'json' }

/** Of this command line, which has that of the service. */
export const { version } = manifest
