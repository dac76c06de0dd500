import type { ApiErrorEntry, ErrorEntry } from './entry.ts'

export const domainErrors = {
  domainNotFound: { code: 'Sluice:Domains:NOT_FOUND', status: 404, title: 'The domain does not exist.' },
  domainTaken: { code: 'Sluice:Domains:NAME_TAKEN', status: 409, title: 'The organization already has this domain.' },
  certificateNotFound: { code: 'Sluice:Certificates:NOT_FOUND', status: 404, title: 'The certificate does not exist.' },
  certificateInUse: { code: 'Sluice:Certificates:IN_USE', status: 409, title: 'The certificate is in use.' },
  certificateBusy: {
    code: 'Sluice:Certificates:BEING_REQUESTED',
    status: 409,
    title: 'The certificate is being requested.',
  },
  certificatesUnreadable: {
    code: 'Sluice:Certificates:ACCESS_DENIED',
    status: 422,
    title: 'The cloud account denies access to its certificates.',
  },
  certificateAccountNotConnected: {
    code: 'Sluice:Certificates:CLOUD_ACCOUNT_NOT_CONNECTED',
    status: 422,
    title: 'The cloud account of the certificate is not connected.',
  },
} as const satisfies Record<string, ApiErrorEntry>

export const domainFailures = {
  certificateRefused: {
    code: 'Sluice:Certificates:REQUEST_REFUSED',
    title: 'The cloud rejected the certificate request.',
  },
  certificateNotValidated: {
    code: 'Sluice:Certificates:NOT_VALIDATED',
    title: 'The domain names of the certificate were not validated.',
  },
  certificateGone: { code: 'Sluice:Certificates:GONE', title: 'The certificate no longer exists in the account.' },
} as const satisfies Record<string, ErrorEntry>
