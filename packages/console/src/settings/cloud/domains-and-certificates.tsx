import { Stack } from '@mantine/core'
import { Certificates } from './certificates.tsx'
import { Domains } from './domains.tsx'

/** Settings of domains and certificates. */
export const DomainsAndCertificates = () => (
  <Stack gap="lg">
    <Domains />
    <Certificates />
  </Stack>
)
