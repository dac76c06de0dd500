import { Group, Stack, Text } from '@mantine/core'
import { client } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useWhole } from '../../api/use-pages.ts'
import { Answer } from '../../ui/answer.tsx'
import { FormModal, textOf } from '../../ui/forms/form-modal.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/section.tsx'
import { Rows } from '../../ui/tables/rows.tsx'
import { AccountAndRegion } from './account-and-region.tsx'
import { CertificateRow } from './certificate-row.tsx'
import { RequestCertificate } from './request-certificate.tsx'

/** Lists tracked certificates. */
export const Certificates = () => {
  const certificates = useWhole('listCertificates', {})
  const accounts = useWhole('listCloudAccounts', {})
  const find = useChange(
    (form: FormData) => {
      const data = { cloudAccountId: textOf(form, 'cloudAccountId'), region: textOf(form, 'region') }
      return client.findCertificates({ body: { data } })
    },
    ['listCertificates', 'listDomains'],
  )
  const aside = (
    <Group gap="xs">
      <FormModal
        needs="certificates:write"
        label="Discover certificates"
        title="Discover certificates"
        submit="Discover"
        change={find}
        button={{ size: 'xs', variant: 'default' }}
      >
        <Text size="sm">Sluice tracks the certificates that it finds. Nothing in the account changes.</Text>
        <AccountAndRegion />
      </FormModal>
      <RequestCertificate />
    </Group>
  )
  const found = find.data?.data
  return (
    <Section title="Certificates" aside={aside}>
      <Stack gap="xs">
        {found && (
          <Text size="sm" role="status">
            Found {found.found} in the account, {found.added} of them new.
          </Text>
        )}
        <Answer of={certificates}>
          {(all) => (
            <Rows
              of={all}
              empty={
                <Notice title="No certificates yet">
                  A certificate lets you serve a domain over HTTPS. Request one, or discover those in an account.
                </Notice>
              }
            >
              {(one) => (
                <CertificateRow
                  certificate={one}
                  account={accounts.data?.find(({ id }) => id === one.cloudAccountId)?.name ?? one.cloudAccountId}
                />
              )}
            </Rows>
          )}
        </Answer>
      </Stack>
    </Section>
  )
}
