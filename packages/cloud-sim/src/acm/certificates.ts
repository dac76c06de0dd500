import { randomUUID } from 'node:crypto'
import type {
  CertificateDetail,
  CertificateSummary,
  DescribeCertificateRequest,
  DomainStatus,
  DomainValidation,
  ListCertificatesRequest,
  RequestCertificateRequest,
} from '@aws-sdk/client-acm'
import { arnIn } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { withTags } from '../tag-list.ts'
import { seconds, type Wire } from '../wire/json.ts'
import type { World } from '../world.ts'
import { usersOf } from './in-use.ts'
import { isProven } from './life.ts'
import { validationRecordOf } from './proof.ts'
import { acm, type Certificate } from './state.ts'

// "Quotas" of the user guide, read 2026-11.
const maxNames = 10
const maxCommonNameLength = 64
const maxPageSize = 1000
/** Time for which a token identifies the same request, in milliseconds. */
const tokenMs = 3_600_000

export function requestCertificate(world: World, caller: Caller, input: RequestCertificateRequest) {
  const { DomainName = '', SubjectAlternativeNames = [], IdempotencyToken: token } = input
  const { ValidationMethod = 'EMAIL', KeyAlgorithm = 'RSA_2048', Tags = [] } = input
  const names = [...new Set([DomainName, ...SubjectAlternativeNames].map((name) => name.toLowerCase()))]
  if (DomainName.length > maxCommonNameLength) {
    const message = `The first domain name can be no longer than ${maxCommonNameLength} characters.`
    throw new CloudError('InvalidDomainValidationOptionsException', message)
  }
  if (ValidationMethod === 'HTTP') {
    throw new CloudError('InvalidParameterException', 'The simulated cloud validates certificates by DNS or email.')
  }
  const tags = withTags([], Tags)
  const content = JSON.stringify([names, ValidationMethod, KeyAlgorithm])
  const now = world.clock.timestamp()
  const there = acm(world)
    .certificates.having('scope', caller.scope)
    .find(({ request }) => request?.token === token && request?.content === content && now - request.at < tokenMs)
  if (there) return { CertificateArn: there.key }
  if (names.length > maxNames) {
    const message = `You have reached your limit of ${maxNames} domain names per certificate.`
    throw new CloudError('LimitExceededException', message)
  }
  const { certificateRecordSeconds, certificateIssueSeconds, certificateTimeoutSeconds } = world.timing
  const certificate: Certificate = {
    key: arnIn(caller.scope, 'acm', `certificate/${randomUUID()}`),
    scope: caller.scope,
    names,
    validationMethod: ValidationMethod,
    keyAlgorithm: KeyAlgorithm,
    ...(token === undefined ? {} : { request: { token, content, at: now } }),
    status: 'PENDING_VALIDATION',
    createdAt: now,
    recordsAt: world.in(certificateRecordSeconds),
    timesOutAt: world.in(certificateTimeoutSeconds),
    tags,
    wakeAt: world.in(certificateIssueSeconds),
  }
  acm(world).certificates.save(certificate)
  return { CertificateArn: certificate.key }
}

export const describeCertificate = (world: World, caller: Caller, input: DescribeCertificateRequest) => ({
  Certificate: describe(world, findCertificate(world, caller, input.CertificateArn)),
})

export function listCertificates(world: World, caller: Caller, input: ListCertificatesRequest) {
  const { CertificateStatuses, Includes, NextToken, MaxItems = maxPageSize } = input
  // Like ACM, lists only RSA 1024 and 2048 certificates without a filter.
  const keyTypes = Includes?.keyTypes ?? ['RSA_2048', 'RSA_1024']
  const found = acm(world)
    .certificates.having('scope', caller.scope)
    .filter(({ status }) => CertificateStatuses?.includes(status) ?? true)
    .filter(({ keyAlgorithm }) => keyTypes.some((one) => one === keyAlgorithm))
  const from = NextToken === undefined ? 0 : Number(Buffer.from(NextToken, 'base64').toString())
  if (!Number.isInteger(from) || from < 0) throw new CloudError('ValidationException', 'Invalid NextToken.')
  const next = from + MaxItems
  return {
    CertificateSummaryList: found.slice(from, next).map((certificate) => summary(world, certificate)),
    ...(next < found.length ? { NextToken: Buffer.from(String(next)).toString('base64') } : {}),
  }
}

export function deleteCertificate(world: World, caller: Caller, input: DescribeCertificateRequest) {
  const certificate = findCertificate(world, caller, input.CertificateArn)
  if (usersOf(world, certificate).length > 0) {
    const message = `Certificate ${certificate.key} in account ${caller.accountId} is in use.`
    throw new CloudError('ResourceInUseException', message)
  }
  acm(world).certificates.remove(certificate)
  return {}
}

export function findCertificate(world: World, caller: Caller, arn = ''): Certificate {
  const certificate = acm(world).certificates.get(arn)
  if (certificate?.scope === caller.scope) return certificate
  throw new CloudError('ResourceNotFoundException', `Could not find certificate ${arn}.`)
}

function describe(world: World, certificate: Certificate): Wire<CertificateDetail> {
  const { key, names, status, keyAlgorithm, failureReason, createdAt, renewal } = certificate
  const users = usersOf(world, certificate)
  const [DomainName = ''] = names
  const validations = names.map((name) => validationOf(world, certificate, name))
  return {
    CertificateArn: key,
    DomainName,
    SubjectAlternativeNames: names,
    DomainValidationOptions: validations,
    Subject: `CN=${DomainName}`,
    Issuer: 'Amazon',
    CreatedAt: seconds(createdAt),
    ...validity(certificate),
    Status: status,
    KeyAlgorithm: keyAlgorithm as 'RSA_2048',
    SignatureAlgorithm: keyAlgorithm.startsWith('EC') ? 'SHA256WITHECDSA' : 'SHA256WITHRSA',
    InUseBy: users,
    ...(failureReason === undefined ? {} : { FailureReason: failureReason }),
    Type: 'AMAZON_ISSUED',
    ...(renewal === undefined
      ? {}
      : {
          RenewalSummary: {
            RenewalStatus: renewal.status,
            DomainValidationOptions: validations,
            UpdatedAt: seconds(renewal.at),
          },
        }),
    RenewalEligibility: users.length > 0 ? 'ELIGIBLE' : 'INELIGIBLE',
    Options: { CertificateTransparencyLoggingPreference: 'ENABLED' },
  }
}

const validity = ({ issuedAt, notBefore, notAfter }: Certificate) =>
  issuedAt === undefined || notBefore === undefined || notAfter === undefined
    ? {}
    : { IssuedAt: seconds(issuedAt), NotBefore: seconds(notBefore), NotAfter: seconds(notAfter) }

/** Returns the validation of one name. The record becomes available some time after the request. */
function validationOf(world: World, certificate: Certificate, name: string): DomainValidation {
  const { validationMethod, recordsAt, scope } = certificate
  const proof = validationRecordOf(scope, name)
  return {
    DomainName: name,
    ValidationDomain: name,
    ValidationStatus: validationStatusOf(world, certificate, name),
    ValidationMethod: validationMethod,
    ...(validationMethod === 'DNS' && world.clock.now() >= recordsAt
      ? { ResourceRecord: { Name: proof.name, Type: proof.type, Value: proof.value } }
      : {}),
  }
}

function validationStatusOf(world: World, certificate: Certificate, name: string): DomainStatus {
  if (certificate.issuedAt !== undefined) return 'SUCCESS'
  if (certificate.status !== 'PENDING_VALIDATION') return 'FAILED'
  return certificate.validationMethod === 'DNS' && isProven(world, certificate, name) ? 'SUCCESS' : 'PENDING_VALIDATION'
}

function summary(world: World, certificate: Certificate): Wire<CertificateSummary> {
  const users = usersOf(world, certificate)
  return {
    CertificateArn: certificate.key,
    DomainName: certificate.names[0],
    SubjectAlternativeNameSummaries: certificate.names,
    HasAdditionalSubjectAlternativeNames: false,
    Status: certificate.status,
    Type: 'AMAZON_ISSUED',
    KeyAlgorithm: certificate.keyAlgorithm as 'RSA_2048',
    InUse: users.length > 0,
    RenewalEligibility: users.length > 0 ? 'ELIGIBLE' : 'INELIGIBLE',
    CreatedAt: seconds(certificate.createdAt),
    ...validity(certificate),
  }
}
