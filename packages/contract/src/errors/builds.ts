import type { ErrorEntry, RefusalEntry } from './entry.ts'

export const buildRefusals = {
  artifactNotFound: { code: 'Sluice:Artifacts:NOT_FOUND', status: 404, title: 'There is no such artifact.' },
  artifactRemoved: {
    code: 'Sluice:Artifacts:REMOVED',
    status: 409,
    title: 'What is to be released was removed, since nothing needed it any more.',
  },
  provenanceNotKept: {
    code: 'Sluice:Artifacts:PROVENANCE_NOT_KEPT',
    status: 404,
    title: 'It was not written down how the artifact was built.',
  },
} as const satisfies Record<string, RefusalEntry>

export const buildFailures = {
  buildInputInvalid: { code: 'Sluice:Builds:INPUT_INVALID', title: 'The inputs are not what the build takes.' },
  buildInvalid: { code: 'Sluice:Builds:BUILD_INVALID', title: 'The build block of the module cannot be carried out.' },
  buildToolMissing: { code: 'Sluice:Builds:TOOL_MISSING', title: 'There is no tool for the builder.' },
  buildCommandFailed: { code: 'Sluice:Builds:COMMAND_FAILED', title: 'A command of the build ended with a failure.' },
  buildOutputInvalid: { code: 'Sluice:Builds:OUTPUT_INVALID', title: 'What the build left cannot be published.' },
  artifactNotPublished: {
    code: 'Sluice:Builds:NOT_PUBLISHED',
    title: 'What was built could not be stored where it is to be published.',
  },
  artifactBeingRemoved: {
    code: 'Sluice:Builds:BEING_REMOVED',
    title: 'What was built is being removed where it is to be published.',
  },
} as const satisfies Record<string, ErrorEntry>
