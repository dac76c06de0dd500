import { operations } from '../operation.ts'
import * as certificates from './certificates.ts'
import * as tags from './tags.ts'

/** Simulated operations of ACM, API version 2015-12-08. */
export const acmOperations = operations({
  AddTagsToCertificate: tags.addTagsToCertificate,
  DeleteCertificate: certificates.deleteCertificate,
  DescribeCertificate: certificates.describeCertificate,
  ListCertificates: certificates.listCertificates,
  ListTagsForCertificate: tags.listTagsForCertificate,
  RemoveTagsFromCertificate: tags.removeTagsFromCertificate,
  RequestCertificate: certificates.requestCertificate,
})
