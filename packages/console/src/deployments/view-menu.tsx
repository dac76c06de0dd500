import { Button, Checkbox, Menu, TextInput } from '@mantine/core'
import type { SavedView, UpdateSavedViews } from '@sluice/contract'
import { type ReactNode, useId } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useOperation } from '../api/use-operation.ts'
import { FormModal, textFieldValue } from '../ui/forms/form-modal.tsx'
import { IconChevronDown } from '../ui/icons.tsx'
import type { DeploymentSearch } from './deployment-filters.ts'
import { currentView, searchOfView, withoutView, withView } from './saved-views.ts'

type Props = { search: DeploymentSearch; onChange: (search: DeploymentSearch) => void }

const replaceViews = (views: UpdateSavedViews['views']) =>
  client.updateSavedViews({ body: { data: { page: 'DEPLOYMENTS', views } } })

/** Lists saved views of the page, and saves and deletes those of the caller. */
export const ViewMenu = ({ search, onChange }: Props) => {
  const { data } = useOperation('listSavedViews', {})
  const remove = useApiMutation(replaceViews, ['listSavedViews'])
  if (!data) return null
  const views = data.data.filter(({ page }) => page === 'DEPLOYMENTS')
  const current = currentView(views, search)
  const [own, shared] = [views.filter(({ isOwn }) => isOwn), views.filter(({ isOwn }) => !isOwn)]
  const itemOf = (view: SavedView) => (
    <Menu.Item
      key={`${view.createdBy} ${view.name}`}
      aria-current={view === current || undefined}
      onClick={() => onChange(searchOfView(view))}
    >
      {view.isOwn ? view.name : `${view.name} · ${view.createdBy}`}
    </Menu.Item>
  )
  return (
    <>
      {views.length > 0 && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button size="xs" variant="default" rightSection={<IconChevronDown size={16} aria-hidden />}>
              {current ? `View: ${current.name}` : 'Views'}
            </Button>
          </Menu.Target>
          <Menu.Dropdown maw="min(24rem, 90vw)" style={{ overflowWrap: 'anywhere' }}>
            <ViewGroup title="Your views">{own.map(itemOf)}</ViewGroup>
            <ViewGroup title="Shared by others">{shared.map(itemOf)}</ViewGroup>
            {current?.isOwn && (
              <>
                <Menu.Divider />
                <Menu.Item color="red" onClick={() => remove.mutate(withoutView(views, current.name))}>
                  Delete “{current.name}”
                </Menu.Item>
              </>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      <SaveView views={views} search={search} />
    </>
  )
}

/** Shows menu items below a title; nothing if there are none. */
const ViewGroup = ({ title, children }: { title: string; children: ReactNode[] }) => {
  const id = useId()
  if (children.length === 0) return null
  return (
    // biome-ignore lint/a11y/useSemanticElements: a menu contains groups of items, not fieldsets.
    <div role="group" aria-labelledby={id}>
      <Menu.Label id={id} role="presentation">
        {title}
      </Menu.Label>
      {children}
    </div>
  )
}

const SaveView = ({ views, search }: { views: readonly SavedView[]; search: DeploymentSearch }) => {
  const save = useApiMutation(
    (form: FormData) =>
      replaceViews(
        withView(views, { name: textFieldValue(form, 'name'), isShared: form.get('isShared') !== null, search }),
      ),
    ['listSavedViews'],
  )
  return (
    <FormModal
      label="Save view"
      title="Save view"
      outcome="Saves the filters, order and columns of this page. It replaces your view with the same name."
      submit="Save"
      change={save}
      button={{ size: 'xs', variant: 'default' }}
    >
      <TextInput name="name" label="Name" placeholder="Failures in production" required maxLength={80} data-autofocus />
      <Checkbox name="isShared" label="Share with all members" />
    </FormModal>
  )
}
