import { defineIamPermissions } from '../rights/right.ts'

const certificate = ({ CertificateArn = '*' }: { CertificateArn?: string }) => CertificateArn

export const acmRights = defineIamPermissions({
  AddTagsToCertificate: certificate,
  DeleteCertificate: certificate,
  DescribeCertificate: certificate,
  ListTagsForCertificate: certificate,
  RemoveTagsFromCertificate: certificate,
  // A request with tags also requires the permission to tag.
  RequestCertificate: ({ Tags }: { Tags?: object[] }) => [
    '*',
    ...(Tags?.length ? [{ action: 'acm:AddTagsToCertificate', resource: '*' }] : []),
  ],
})
