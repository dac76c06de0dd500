import { Group, Stack, Text } from '@mantine/core'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { Rows } from '../../ui/tables/rows.tsx'
import { AccountAndRegion } from './account-and-region.tsx'
import { CertificateRow } from './certificate-row.tsx'
import { RequestCertificate } from './request-certificate.tsx'

/** Lists tracked certificates. */
export const Certificates = () => {
  const certificates = useCompleteList('listCertificates', {})
  const accounts = useCompleteList('listCloudAccounts', {})
  const find = useApiMutation(
    (form: FormData) => {
      const data = { cloudAccountId: textFieldValue(form, 'cloudAccountId'), region: textFieldValue(form, 'region') }
      return client.findCertificates({ body: { data } })
    },
    ['listCertificates', 'listDomains'],
  )
  const aside = (
    <Group gap="xs">
      <FormModal
        permission="certificates:write"
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
        <QueryResult of={certificates}>
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
        </QueryResult>
      </Stack>
    </Section>
  )
}
