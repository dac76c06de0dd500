import type { ErrorEntry, RefusalEntry } from './entry.ts'

export const domainRefusals = {
  domainNotFound: { code: 'Sluice:Domains:NOT_FOUND', status: 404, title: 'There is no such domain.' },
  domainTaken: { code: 'Sluice:Domains:NAME_TAKEN', status: 409, title: 'The organization has this domain already.' },
  certificateNotFound: { code: 'Sluice:Certificates:NOT_FOUND', status: 404, title: 'There is no such certificate.' },
  certificateInUse: { code: 'Sluice:Certificates:IN_USE', status: 409, title: 'The certificate is in use.' },
  certificateBusy: {
    code: 'Sluice:Certificates:BEING_REQUESTED',
    status: 409,
    title: 'The certificate is being asked for.',
  },
  certificatesUnreadable: {
    code: 'Sluice:Certificates:ACCOUNT_REFUSES',
    status: 422,
    title: 'The account does not let us see or change its certificates.',
  },
  certificateAccountNotConnected: {
    code: 'Sluice:Certificates:CLOUD_ACCOUNT_NOT_CONNECTED',
    status: 422,
    title: 'The cloud account that the certificate is of is not connected.',
  },
} as const satisfies Record<string, RefusalEntry>

export const domainFailures = {
  certificateRefused: {
    code: 'Sluice:Certificates:REQUEST_REFUSED',
    title: 'The cloud refused to make the certificate.',
  },
  certificateNotValidated: {
    code: 'Sluice:Certificates:NOT_VALIDATED',
    title: 'The names of the certificate were not proven.',
  },
  certificateGone: { code: 'Sluice:Certificates:GONE', title: 'The account does not have the certificate any more.' },
} as const satisfies Record<string, ErrorEntry>
