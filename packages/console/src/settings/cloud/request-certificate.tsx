import { Checkbox, TagsInput, TextInput } from '@mantine/core'
import { useContext } from 'react'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { AddForm } from '../../ui/forms/add-form.tsx'
import { textFieldValue } from '../../ui/forms/form-modal.tsx'
import { FormProblems } from '../../ui/forms/form-problems.ts'
import { AccountAndRegion } from './account-and-region.tsx'

/** Requests a certificate in a cloud account. */
export const RequestCertificate = () => {
  const create = useApiMutation(
    (form: FormData) => client.createCertificate({ body: { data: givenOf(form) } }),
    ['listCertificates', 'listDomains'],
  )
  return (
    <AddForm permission="certificates:write" label="Request certificate" submit="Request" change={create}>
      <Fields />
    </AddForm>
  )
}

/** Limit of the server. */
const maxNames = 9

const Fields = () => {
  const faults = useContext(FormProblems)
  return (
    <>
      <TextInput
        name="domainName"
        label="Domain"
        placeholder="shop.example.com"
        required
        maxLength={64}
        data-autofocus
        error={faults.domainName}
      />
      <TagsInput
        name="alternativeNames"
        label="Additional names"
        description="Press Enter after each entry."
        maxTags={maxNames}
        error={faults.alternativeNames}
      />
      <AccountAndRegion about="Load balancers use certificates of their own region. CloudFront uses only those in us-east-1." />
      <Checkbox
        name="writesRecords"
        label="Create DNS records in the account’s hosted zones"
        description="For other zones, Sluice shows the records for you to create."
        defaultChecked
      />
    </>
  )
}

function givenOf(form: FormData) {
  const names = textFieldValue(form, 'alternativeNames').toLowerCase().split(',').filter(Boolean)
  return {
    cloudAccountId: textFieldValue(form, 'cloudAccountId'),
    region: textFieldValue(form, 'region'),
    domainName: textFieldValue(form, 'domainName').toLowerCase(),
    ...(names.length > 0 && { alternativeNames: names }),
    writesRecords: form.has('writesRecords'),
  }
}
