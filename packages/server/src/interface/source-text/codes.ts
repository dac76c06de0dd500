import { apiErrors } from '@sluice/contract'

/** Error codes of files, in addition to those of the service. */
const ofFiles = {
  'malformed-yaml': 'The text is not YAML.',
  'not-text': 'The file is not text in UTF-8.',
  'unknown-kind': 'The file is neither a module, a pipeline nor a project file.',
} as const

export type FileCode = keyof typeof ofFiles

/** Titles of all error codes, by code. */
export const titles: ReadonlyMap<string, string> = new Map([
  ...[
    apiErrors.moduleConfigInvalid,
    apiErrors.pipelineConfigInvalid,
    apiErrors.requestInvalid,
    apiErrors.bodyTooLarge,
  ].map(({ code, title }): [string, string] => [code, title]),
  ...Object.entries(ofFiles),
])
