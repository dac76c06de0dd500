import type { ApiErrorEntry } from './entry.ts'

export const gitErrors = {
  codeSourceNotFound: { code: 'Sluice:CodeSources:NOT_FOUND', status: 404, title: 'The code source does not exist.' },
  codeSourceTaken: {
    code: 'Sluice:CodeSources:REPOSITORY_TAKEN',
    status: 409,
    title: 'The repository is already connected.',
  },
  gitHostNotConfigured: {
    code: 'Sluice:CodeSources:HOST_NOT_CONFIGURED',
    status: 422, // Not 503, because clients retry it and only an operator can solve the problem.
    title: 'The git host is not configured on this server.',
  },
  gitHostUnreachable: {
    code: 'Sluice:CodeSources:HOST_UNREACHABLE',
    status: 503,
    title: 'The git host is unavailable.',
  },
  gitHostRateLimited: {
    code: 'Sluice:CodeSources:HOST_RATE_LIMITED',
    status: 429,
    title: 'The rate limit of the git host was exceeded.',
  },
  repositoryUnreadable: {
    code: 'Sluice:CodeSources:REPOSITORY_UNREADABLE',
    status: 422,
    title: 'The git host denied reading the repository.',
  },
  notInRepository: {
    code: 'Sluice:CodeSources:NOT_IN_REPOSITORY',
    status: 404,
    title: 'The branch, tag, commit or path does not exist in the repository.',
  },
  repositoryFileTooLarge: {
    code: 'Sluice:CodeSources:FILE_TOO_LARGE',
    status: 422,
    title: 'The file is too large to return.',
  },
  installationNotClaimed: {
    code: 'Sluice:CodeSources:INSTALLATION_NOT_CLAIMED',
    status: 422,
    title: 'The organization has not claimed the installation.',
  },
  githostaInstallationNotFound: {
    code: 'Sluice:Git:INSTALLATION_NOT_FOUND',
    status: 404,
    title: 'The installation does not exist.',
  },
  githostaInstallationInUse: {
    code: 'Sluice:Git:INSTALLATION_IN_USE',
    status: 409,
    title: 'The installation is in use.',
  },
  githostbConnectionNotFound: {
    code: 'Sluice:Git:CONNECTION_NOT_FOUND',
    status: 404,
    title: 'The connection does not exist.',
  },
  githostbConnectionInUse: { code: 'Sluice:Git:CONNECTION_IN_USE', status: 409, title: 'The connection is in use.' },
  githostbInstanceNotFound: {
    code: 'Sluice:Git:INSTANCE_NOT_FOUND',
    status: 404,
    title: 'The instance does not exist.',
  },
  githostbInstanceTaken: {
    code: 'Sluice:Git:INSTANCE_TAKEN',
    status: 409,
    title: 'The instance is already registered.',
  },
  githostbInstanceInUse: { code: 'Sluice:Git:INSTANCE_IN_USE', status: 409, title: 'The instance is in use.' },
  webhookOfApp: {
    code: 'Sluice:Git:WEBHOOK_OF_APP',
    status: 422,
    title: 'The app at the git host has its own webhook.',
  },
  webhookProofWrong: {
    code: 'Sluice:Git:WEBHOOK_SIGNATURE_INVALID',
    status: 401,
    title: 'The signature or secret of the webhook is wrong.',
  },
  gitAccessDenied: {
    code: 'Sluice:OAuth:ACCESS_DENIED',
    status: 400,
    title: 'The git host denied access.',
  },
  gitPersonNeeded: {
    code: 'Sluice:OAuth:USER_REQUIRED',
    status: 422,
    title: 'A user must continue at the git host.',
  },
  gitStateInvalid: {
    code: 'Sluice:OAuth:STATE_INVALID',
    status: 400,
    title: 'The state parameter is invalid or expired.',
  },
} as const satisfies Record<string, ApiErrorEntry>
