import type { ErrorEntry, RefusalEntry } from './entry.ts'

export const cloudAccountRefusals = {
  cloudAccountNotFound: {
    code: 'Sluice:CloudAccounts:NOT_FOUND',
    status: 404,
    title: 'There is no such cloud account.',
  },
  infrastructureEventNotFound: {
    code: 'Sluice:InfrastructureEvents:NOT_FOUND',
    status: 404,
    title: 'There is no such infrastructure event.',
  },
  cloudAccountGivenIdTaken: {
    code: 'Sluice:CloudAccounts:GIVEN_ID_TAKEN',
    status: 409,
    title: 'Another cloud account has this givenId.',
  },
  cloudAccountInUse: { code: 'Sluice:CloudAccounts:IN_USE', status: 409, title: 'The cloud account is in use.' },
  cloudRoleRefused: {
    code: 'Sluice:CloudAccounts:ROLE_REFUSED',
    status: 422,
    title: 'The cloud does not let us assume the role.',
  },
  cloudRoleTooOpen: {
    code: 'Sluice:CloudAccounts:ROLE_TOO_OPEN',
    status: 422,
    title: 'The role does not ask for the external id.',
  },
  cloudRoleTaken: {
    code: 'Sluice:CloudAccounts:ROLE_TAKEN',
    status: 409,
    title: 'The role is connected already.',
  },
  cloudAccountIsAnother: {
    code: 'Sluice:CloudAccounts:ANOTHER_ACCOUNT',
    status: 422,
    title: 'The role is in another cloud account.',
  },
  eventQueueElsewhere: {
    code: 'Sluice:CloudAccounts:EVENT_QUEUE_ELSEWHERE',
    status: 422,
    title: 'The queue is not in the connected account.',
  },
  eventQueueTaken: {
    code: 'Sluice:CloudAccounts:EVENT_QUEUE_TAKEN',
    status: 409,
    title: 'Events are fetched from the queue already.',
  },
  cloudUnreachable: {
    code: 'Sluice:CloudAccounts:CLOUD_UNREACHABLE',
    status: 503,
    title: 'The cloud cannot be asked now.',
  },
  accountOffersRefused: {
    code: 'Sluice:CloudAccounts:OFFERS_REFUSED',
    status: 422,
    title: 'The cloud does not show what the account offers.',
  },
  eventSecretWrong: {
    code: 'Sluice:CloudEvents:SECRET_WRONG',
    status: 401,
    title: 'The event does not carry the secret of a cloud account.',
  },
  eventAccountWrong: {
    code: 'Sluice:CloudEvents:ACCOUNT_WRONG',
    status: 422,
    title: 'The event comes from another cloud account.',
  },
} as const satisfies Record<string, RefusalEntry>

export const cloudAccountFailures = {
  cloudConnectionRefused: {
    code: 'Sluice:CloudAccounts:CONNECTION_REFUSED',
    title: 'The connected role cannot be used any more.',
  },
  cloudRegionDisabled: {
    code: 'Sluice:CloudAccounts:REGION_DISABLED',
    title: 'A region that is used is not enabled in the account.',
  },
  cloudConnectionUnchecked: {
    code: 'Sluice:CloudAccounts:CONNECTION_UNCHECKED',
    title: 'The connection could not be checked.',
  },
  eventQueueUnreadable: {
    code: 'Sluice:CloudAccounts:EVENT_QUEUE_UNREADABLE',
    title: 'Events cannot be fetched from the queue.',
  },
} as const satisfies Record<string, ErrorEntry>
