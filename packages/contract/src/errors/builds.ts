import type { ApiErrorEntry, ErrorEntry } from './entry.ts'

export const buildErrors = {
  artifactNotFound: { code: 'Sluice:Artifacts:NOT_FOUND', status: 404, title: 'The artifact does not exist.' },
  artifactRemoved: {
    code: 'Sluice:Artifacts:REMOVED',
    status: 409,
    title: 'Retention has removed the artifact to release.',
  },
  provenanceNotKept: {
    code: 'Sluice:Artifacts:PROVENANCE_NOT_AVAILABLE',
    status: 404,
    title: 'The artifact has no provenance record.',
  },
} as const satisfies Record<string, ApiErrorEntry>

export const buildFailures = {
  buildInputInvalid: { code: 'Sluice:Builds:INPUT_INVALID', title: 'The inputs of the build are invalid.' },
  buildInvalid: { code: 'Sluice:Builds:BUILD_INVALID', title: 'The build block of the module cannot be executed.' },
  buildToolMissing: { code: 'Sluice:Builds:TOOL_MISSING', title: "The builder's tool is not installed." },
  buildCommandFailed: { code: 'Sluice:Builds:COMMAND_FAILED', title: 'A build command failed.' },
  buildOutputInvalid: { code: 'Sluice:Builds:OUTPUT_INVALID', title: 'The output of the build cannot be published.' },
  artifactNotPublished: {
    code: 'Sluice:Builds:NOT_PUBLISHED',
    title: 'The artifact could not be published.',
  },
  artifactBeingRemoved: {
    code: 'Sluice:Builds:BEING_REMOVED',
    title: 'The published location of the artifact is being removed.',
  },
} as const satisfies Record<string, ErrorEntry>
