import { Stack } from '@mantine/core'
import { Certificates } from './certificates.tsx'
import { Domains } from './domains.tsx'

/** The names under which environments are reached, and the certificates that let them be reached by https. */
export const DomainsAndCertificates = () => (
  <Stack gap="lg">
    <Domains />
    <Certificates />
  </Stack>
)
