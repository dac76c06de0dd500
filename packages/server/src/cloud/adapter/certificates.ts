import {
  type ACMClient,
  type CertificateDetail,
  DeleteCertificateCommand,
  DescribeCertificateCommand,
  ListCertificatesCommand,
  type ListCertificatesCommandOutput,
  ListTagsForCertificateCommand,
  RequestCertificateCommand,
} from '@aws-sdk/client-acm'
import { present } from '../../platform/present.ts'
import type { CertificateFacts, ValidationRecord } from '../facts/certificates.ts'
import { CloudPermanentError, callCloud } from './cloud-call.ts'

/** Tag that holds Sluice's id of a requested certificate. */
const idTag = 'sluice:certificate-id'

/** Maximum number of pages to read: an account has at most 2,500 certificates per region (quota, read 2026-11). */
const maxPages = 5

/**
 * Requests a certificate with DNS validation. Repeating the request with the same id within an hour returns the same
 * certificate.
 */
export async function requestCertificate(
  acm: ACMClient,
  { id, names: [domainName = '', ...others] }: { id: string; names: string[] },
): Promise<string> {
  const command = new RequestCertificateCommand({
    DomainName: domainName,
    ...(others.length > 0 && { SubjectAlternativeNames: others }),
    ValidationMethod: 'DNS',
    IdempotencyToken: id.replaceAll(/\W/g, '').slice(-32),
    Tags: [{ Key: idTag, Value: id }],
  })
  const { CertificateArn } = await callCloud(() => acm.send(command))
  if (!CertificateArn) throw new CloudPermanentError('NoCertificate', 'The cloud answered without a certificate.')
  return CertificateArn
}

/** Returns the ARN of the certificate requested under this id, if the request reached the cloud. */
export async function findRequested(
  acm: ACMClient,
  { id, names: [domainName] }: { id: string; names: string[] },
): Promise<string | undefined> {
  const candidates = (await listCertificates(acm)).filter((one) => one.names[0] === domainName)
  for (const { arn } of candidates) {
    const { Tags = [] } = await callCloud(() => acm.send(new ListTagsForCertificateCommand({ CertificateArn: arn })))
    if (Tags.some(({ Key, Value }) => Key === idTag && Value === id)) return arn
  }
  return undefined
}

/** Lists the certificates of an account and region, with all key types. */
export async function listCertificates(acm: ACMClient): Promise<{ arn: string; names: string[] }[]> {
  const found: { arn: string; names: string[] }[] = []
  let next: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const command = new ListCertificatesCommand({
      Includes: { keyTypes },
      MaxItems: 1000,
      ...present({ NextToken: next }),
    })
    const answer: ListCertificatesCommandOutput = await callCloud(() => acm.send(command))
    for (const {
      CertificateArn: arn,
      DomainName: name,
      SubjectAlternativeNameSummaries = [],
    } of answer.CertificateSummaryList ?? []) {
      if (arn && name) found.push({ arn, names: [...new Set([name, ...SubjectAlternativeNameSummaries])] })
    }
    next = answer.NextToken
    if (next === undefined) break
  }
  return found
}

// Without this filter ACM lists only certificates with RSA 1024 and 2048 keys.
const keyTypes = [
  'RSA_1024' as const,
  'RSA_2048' as const,
  'RSA_3072' as const,
  'RSA_4096' as const,
  'EC_prime256v1' as const,
  'EC_secp384r1' as const,
  'EC_secp521r1' as const,
]

/** Reads a certificate, or returns undefined if it does not exist. */
export async function readCertificate(acm: ACMClient, arn: string): Promise<CertificateFacts | undefined> {
  try {
    const { Certificate } = await callCloud(() => acm.send(new DescribeCertificateCommand({ CertificateArn: arn })))
    return Certificate && factsOf(Certificate)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Deletes a certificate. A certificate that no longer exists counts as deleted. */
export async function deleteCertificate(acm: ACMClient, arn: string): Promise<void> {
  try {
    await callCloud(() => acm.send(new DeleteCertificateCommand({ CertificateArn: arn })))
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

export const isInUse = (error: unknown) =>
  error instanceof CloudPermanentError && error.reason === 'ResourceInUseException'

const isNotFound = (error: unknown) =>
  error instanceof CloudPermanentError && error.reason === 'ResourceNotFoundException'

function factsOf(detail: CertificateDetail): CertificateFacts {
  const { DomainName = '', SubjectAlternativeNames = [], Status, FailureReason, InUseBy = [] } = detail
  const status = statuses[Status ?? ''] ?? 'FAILED'
  return {
    names: [...new Set([DomainName, ...SubjectAlternativeNames])],
    status,
    ...(status === 'FAILED' && { reason: FailureReason ?? Status ?? 'UNKNOWN' }),
    ...present({ issuedAt: detail.IssuedAt, expiresAt: detail.NotAfter }),
    inUseBy: InUseBy,
    isRenewalStuck: detail.RenewalSummary?.RenewalStatus === 'PENDING_VALIDATION',
    proofs: proofsOf(detail),
  }
}

const statuses: Readonly<Record<string, CertificateFacts['status']>> = {
  PENDING_VALIDATION: 'PENDING_VALIDATION',
  ISSUED: 'ISSUED',
  EXPIRED: 'EXPIRED',
}

/** Returns the distinct DNS validation records: a domain and its wildcard share one. */
function proofsOf({ DomainValidationOptions = [] }: CertificateDetail): ValidationRecord[] {
  const proofs = new Map<string, ValidationRecord>()
  for (const { DomainName = '', ResourceRecord: record, ValidationStatus } of DomainValidationOptions) {
    if (!record?.Name || !record.Type || !record.Value) continue
    const proof = proofs.get(record.Name) ?? {
      names: [],
      name: record.Name,
      type: record.Type,
      value: record.Value,
      isValidated: ValidationStatus === 'SUCCESS',
    }
    proof.names.push(DomainName)
    proofs.set(record.Name, proof)
  }
  return [...proofs.values()]
}
