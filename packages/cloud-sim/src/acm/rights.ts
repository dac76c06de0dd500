import { rights } from '../rights/right.ts'

const certificate = ({ CertificateArn = '*' }: { CertificateArn?: string }) => CertificateArn

export const acmRights = rights({
  AddTagsToCertificate: certificate,
  DeleteCertificate: certificate,
  DescribeCertificate: certificate,
  ListTagsForCertificate: certificate,
  RemoveTagsFromCertificate: certificate,
  // Tags come with the request: who may not tag may not ask with them.
  RequestCertificate: ({ Tags }: { Tags?: object[] }) => [
    '*',
    ...(Tags?.length ? [{ action: 'acm:AddTagsToCertificate', resource: '*' }] : []),
  ],
})
