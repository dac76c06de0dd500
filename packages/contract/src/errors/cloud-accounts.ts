import type { ApiErrorEntry, ErrorEntry } from './entry.ts'

export const cloudAccountErrors = {
  cloudAccountNotFound: {
    code: 'Sluice:CloudAccounts:NOT_FOUND',
    status: 404,
    title: 'The cloud account does not exist.',
  },
  infrastructureEventNotFound: {
    code: 'Sluice:InfrastructureEvents:NOT_FOUND',
    status: 404,
    title: 'The infrastructure event does not exist.',
  },
  cloudAccountGivenIdTaken: {
    code: 'Sluice:CloudAccounts:GIVEN_ID_TAKEN',
    status: 409,
    title: 'Another cloud account has this `givenId`.',
  },
  cloudAccountInUse: { code: 'Sluice:CloudAccounts:IN_USE', status: 409, title: 'The cloud account is in use.' },
  cloudRoleRefused: {
    code: 'Sluice:CloudAccounts:ROLE_ACCESS_DENIED',
    status: 422,
    title: 'The cloud denied assuming the role.',
  },
  cloudRoleTooOpen: {
    code: 'Sluice:CloudAccounts:ROLE_TOO_OPEN',
    status: 422,
    title: 'The trust policy of the role does not require the external ID.',
  },
  cloudRoleTaken: {
    code: 'Sluice:CloudAccounts:ROLE_TAKEN',
    status: 409,
    title: 'The role is already connected.',
  },
  cloudAccountIsAnother: {
    code: 'Sluice:CloudAccounts:ACCOUNT_MISMATCH',
    status: 422,
    title: 'The role belongs to another cloud account.',
  },
  eventQueueElsewhere: {
    code: 'Sluice:CloudAccounts:EVENT_QUEUE_IN_OTHER_ACCOUNT',
    status: 422,
    title: 'The queue does not belong to the connected account.',
  },
  eventQueueTaken: {
    code: 'Sluice:CloudAccounts:EVENT_QUEUE_TAKEN',
    status: 409,
    title: 'Events are already received from the queue.',
  },
  cloudUnreachable: {
    code: 'Sluice:CloudAccounts:CLOUD_UNREACHABLE',
    status: 503,
    title: 'The cloud is unavailable.',
  },
  accountOffersRefused: {
    code: 'Sluice:CloudAccounts:RESOURCES_ACCESS_DENIED',
    status: 422,
    title: "The cloud denied reading the account's resources.",
  },
  eventSecretWrong: {
    code: 'Sluice:CloudEvents:SECRET_INVALID',
    status: 401,
    title: 'The event secret is wrong or missing.',
  },
  eventAccountWrong: {
    code: 'Sluice:CloudEvents:ACCOUNT_MISMATCH',
    status: 422,
    title: 'The event comes from another cloud account.',
  },
} as const satisfies Record<string, ApiErrorEntry>

export const cloudAccountFailures = {
  cloudConnectionRefused: {
    code: 'Sluice:CloudAccounts:CONNECTION_REFUSED',
    title: 'The connected role can no longer be used.',
  },
  cloudRegionDisabled: {
    code: 'Sluice:CloudAccounts:REGION_DISABLED',
    title: 'A region in use is not enabled in the account.',
  },
  cloudConnectionUnchecked: {
    code: 'Sluice:CloudAccounts:CONNECTION_UNCHECKED',
    title: 'The connection could not be checked.',
  },
  eventQueueUnreadable: {
    code: 'Sluice:CloudAccounts:EVENT_QUEUE_UNREADABLE',
    title: 'Events cannot be received from the queue.',
  },
} as const satisfies Record<string, ErrorEntry>
