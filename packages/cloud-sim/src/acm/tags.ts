import type { AddTagsToCertificateRequest, DescribeCertificateRequest } from '@aws-sdk/client-acm'
import type { Caller } from '../callers.ts'
import { withoutTags, withTags } from '../tag-list.ts'
import type { World } from '../world.ts'
import { findCertificate } from './certificates.ts'
import { acm } from './state.ts'

export function addTagsToCertificate(world: World, caller: Caller, input: AddTagsToCertificateRequest) {
  const certificate = findCertificate(world, caller, input.CertificateArn)
  acm(world).certificates.save(Object.assign(certificate, { tags: withTags(certificate.tags, input.Tags ?? []) }))
  return {}
}

export function removeTagsFromCertificate(world: World, caller: Caller, input: AddTagsToCertificateRequest) {
  const certificate = findCertificate(world, caller, input.CertificateArn)
  const keys = (input.Tags ?? []).map(({ Key = '' }) => Key)
  acm(world).certificates.save(Object.assign(certificate, { tags: withoutTags(certificate.tags, keys) }))
  return {}
}

export const listTagsForCertificate = (world: World, caller: Caller, input: DescribeCertificateRequest) => ({
  Tags: findCertificate(world, caller, input.CertificateArn).tags,
})
