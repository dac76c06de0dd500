import {
  type AuditEvent,
  type AuditNotice,
  auditType,
  type CertificateNotice,
  type CloudAccountNotice,
  type FilesNotice,
  type NotificationType,
} from '@sluice/contract'
import type { CertificateRow } from '../../../cloud/certificates/tables.ts'
import type { CloudAccountRow } from '../../../cloud/cloud-accounts/tables.ts'
import { present } from '../../../platform/present.ts'
import type { Event } from '../machine.ts'
import { type LinkTo, type Named, type NotifiableAuditEvent, payloadOf, textIn, truncateText } from './parts.ts'

/** Audit event about a cloud account's connection, with the current account. */
export type NotifiableConnection = NotifiableAuditEvent & {
  cloudAccount: Pick<CloudAccountRow, 'id' | 'name' | 'status'>
}

/** Audit event about a certificate, with the current certificate. */
export type NotifiableCertificate = NotifiableAuditEvent & {
  certificate: Pick<CertificateRow, 'id' | 'names' | 'expiresAt' | 'error'>
  cloudAccount: Named
}

/** Audit event about a project that differs from its watched repository, with the current project name. */
export type NotifiableFilesDrift = NotifiableAuditEvent & { watchedRepositoryId: string; project: Named }

/** Returns the event that a project differs from its watched files. */
export function eventsOfFilesDrift(line: NotifiableFilesDrift, linkTo: LinkTo): Event[] {
  const { organizationId, watchedRepositoryId, project, details, createdAt: at } = line
  const url = linkTo(`projects/${project.id}`)
  const found = { commit: textIn(details, 'commit') ?? '', changeCount: Number(details?.changes ?? 0) }
  const data: FilesNotice = { organizationId, watchedRepositoryId, url, project, ...found }
  return [
    {
      id: `${watchedRepositoryId}.files.drifted.${at.getTime()}`,
      recordId: watchedRepositoryId,
      projectId: project.id,
      environmentId: null,
      payload: payloadOf('files.drifted', at, data),
    },
  ]
}

/** Returns the events for an audit event about a cloud account's connection. */
export function eventsOfConnection(line: NotifiableConnection, linkTo: LinkTo): Event[] {
  const { organizationId, details, createdAt: at } = line
  const { id, name, ...now } = line.cloudAccount
  const checked = details?.status as CloudAccountRow['status'] | undefined
  // A user who connects the account sees the result at once.
  if (checked === undefined && now.status !== 'CONNECTED') return []
  const status = checked ?? now.status
  const type = status === 'CONNECTED' ? 'cloud_account.connected' : 'cloud_account.disconnected'
  const about = { organizationId, url: linkTo('settings/cloud-accounts'), cloudAccount: { id, name } }
  const data: CloudAccountNotice = present({ ...about, status, error: truncateText(textIn(details, 'reason')) })
  return [ofOrganization(id, type, at, data)]
}

/** Returns the events for an audit event about a certificate. */
export function eventsOfCertificate(line: NotifiableCertificate, linkTo: LinkTo): Event[] {
  const { organizationId, details, before, createdAt: at, certificate, cloudAccount } = line
  const { id, names, expiresAt, error } = certificate
  const status = details?.status as CertificateRow['status']
  const isLost = status !== before?.status && (status === 'FAILED' || status === 'EXPIRED')
  const endsSoon = details?.expiresSoon === true && before?.expiresSoon !== true
  if (!isLost && !endsSoon) return []
  const about = { organizationId, certificateId: id, url: linkTo('settings/domains'), cloudAccount, names, status }
  const more = { expiresAt: expiresAt?.toISOString(), error: isLost ? truncateText(error?.message) : undefined }
  const data: CertificateNotice = present({ ...about, ...more })
  return [ofOrganization(id, isLost ? 'certificate.unusable' : 'certificate.expires_soon', at, data)]
}

/** Maximum size of an audit event's data as JSON, in bytes, so that a payload stays below 64 KiB. */
const maxLineLength = 32 * 1024

/** Returns the event for an audit event. All have the audit log as their record, which preserves their order. */
export function eventOfAuditLine(line: AuditEvent, linkTo: LinkTo): Event {
  const { organizationId, id } = line
  const { details, before, ...rest } = line
  const isTruncated = Buffer.byteLength(JSON.stringify([details, before])) > maxLineLength
  const data: AuditNotice = present({
    organizationId,
    url: linkTo('settings/audit-log'),
    auditEvent: isTruncated ? rest : line,
    isTruncated: isTruncated || undefined,
  })
  return {
    id: `${id}.${auditType}`,
    recordId: organizationId,
    projectId: null,
    environmentId: null,
    payload: payloadOf(auditType, new Date(line.createdAt), data),
  }
}

/** Creates an event about a shared resource. The time in its id distinguishes repetitions. */
const ofOrganization = (
  id: string,
  type: NotificationType,
  at: Date,
  data: CloudAccountNotice | CertificateNotice,
): Event => ({
  id: `${id}.${type}.${at.getTime()}`,
  recordId: id,
  projectId: null,
  environmentId: null,
  payload: payloadOf(type, at, data),
})
