import type { RefusalEntry } from './entry.ts'

export const gitRefusals = {
  codeSourceNotFound: { code: 'Sluice:CodeSources:NOT_FOUND', status: 404, title: 'There is no such code source.' },
  codeSourceTaken: {
    code: 'Sluice:CodeSources:REPOSITORY_TAKEN',
    status: 409,
    title: 'The repository is connected already.',
  },
  gitHostNotConfigured: {
    code: 'Sluice:CodeSources:HOST_NOT_CONFIGURED',
    status: 422, // no 503: clients repeat those for a while, and only an operator can help
    title: 'The git host is not set up on this server.',
  },
  gitHostUnreachable: {
    code: 'Sluice:CodeSources:HOST_UNREACHABLE',
    status: 503,
    title: 'The git host cannot be asked now.',
  },
  gitHostRateLimited: {
    code: 'Sluice:CodeSources:HOST_RATE_LIMITED',
    status: 429,
    title: 'The git host was asked too often.',
  },
  repositoryUnreadable: {
    code: 'Sluice:CodeSources:REPOSITORY_UNREADABLE',
    status: 422,
    title: 'The git host does not let us read the repository.',
  },
  notInRepository: {
    code: 'Sluice:CodeSources:NOT_IN_REPOSITORY',
    status: 404,
    title: 'The repository has no such branch, tag, commit or path.',
  },
  repositoryFileTooLarge: {
    code: 'Sluice:CodeSources:FILE_TOO_LARGE',
    status: 422,
    title: 'The file is too large to be shown.',
  },
  installationNotClaimed: {
    code: 'Sluice:CodeSources:INSTALLATION_NOT_CLAIMED',
    status: 422,
    title: 'The organization has not claimed the installation.',
  },
  githostaInstallationNotFound: {
    code: 'Sluice:Git:INSTALLATION_NOT_FOUND',
    status: 404,
    title: 'There is no such installation.',
  },
  githostaInstallationInUse: {
    code: 'Sluice:Git:INSTALLATION_IN_USE',
    status: 409,
    title: 'The installation is in use.',
  },
  githostbConnectionNotFound: {
    code: 'Sluice:Git:CONNECTION_NOT_FOUND',
    status: 404,
    title: 'There is no such connection.',
  },
  githostbConnectionInUse: { code: 'Sluice:Git:CONNECTION_IN_USE', status: 409, title: 'The connection is in use.' },
  githostbInstanceNotFound: {
    code: 'Sluice:Git:INSTANCE_NOT_FOUND',
    status: 404,
    title: 'There is no such instance.',
  },
  githostbInstanceTaken: {
    code: 'Sluice:Git:INSTANCE_TAKEN',
    status: 409,
    title: 'The instance is registered already.',
  },
  githostbInstanceInUse: { code: 'Sluice:Git:INSTANCE_IN_USE', status: 409, title: 'The instance is in use.' },
  webhookOfApp: {
    code: 'Sluice:Git:WEBHOOK_OF_APP',
    status: 422,
    title: 'The app at the git host brings its own webhook.',
  },
  webhookProofWrong: {
    code: 'Sluice:Git:WEBHOOK_PROOF_WRONG',
    status: 401,
    title: 'The delivery does not prove that the git host sent it.',
  },
  gitAccessDenied: {
    code: 'Sluice:OAuth:ACCESS_DENIED',
    status: 400,
    title: 'The git host gives no access.',
  },
  gitPersonNeeded: {
    code: 'Sluice:OAuth:PERSON_NEEDED',
    status: 422,
    title: 'A person has to go on at the git host.',
  },
  gitStateInvalid: {
    code: 'Sluice:OAuth:STATE_INVALID',
    status: 400,
    title: 'The state belongs to nothing that was begun here.',
  },
} as const satisfies Record<string, RefusalEntry>
