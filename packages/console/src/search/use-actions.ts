import { useMantineColorScheme } from '@mantine/core'
import { type Permission, permissionsOf } from '@sluice/contract'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useOperation } from '../api/use-operation.ts'
import { useCompleteList } from '../api/use-pages.ts'
import { offeredCommands, pageCommands, requestCommand, runOffer } from '../commands/page-commands.ts'
import { colorSchemes } from '../shell/color-schemes.ts'
import { openKeyboardHelp } from '../shell/open-keyboard-help.ts'
import { useSignOut } from '../shell/use-sign-out.ts'
import { type FormAction, formActionLabel, formActions } from './actions.ts'

/** Action of the palette. */
export type Action = {
  label: string
  keywords?: string | undefined
  detail?: string | undefined
  /** Key that does the same on the page. */
  shortcut?: string | undefined
  run: () => unknown
}

/** Returns what the caller can do: on this page, and everywhere. */
export function useActions(): { page: Action[]; everywhere: Action[] } {
  const [offered] = useState(() => offeredCommands().map(toAction))
  const forms = useFormActions()
  const general = useGeneralActions()
  const organizations = useOrganizationActions()
  return { page: [...offered, ...copyActions()], everywhere: [...forms, ...general, ...organizations] }
}

/** The button's own text is more exact, such as “Continue: 50 % of traffic”. */
function toAction(offer: ReturnType<typeof offeredCommands>[number]): Action {
  const { label, key }: { label: string; key?: string } = pageCommands[offer.command]
  const text = offer.button.getAttribute('aria-label') ?? offer.button.textContent
  return { label: text || label, keywords: label, shortcut: key?.toUpperCase(), run: () => runOffer(offer) }
}

/** Copies the address, and the ID in it. */
function copyActions(): Action[] {
  const { href, pathname } = window.location
  const [id] = /[a-z]+_[0-9a-z]{26}/.exec(pathname) ?? []
  const copy = (label: string, text: string, keywords: string) => ({
    label,
    keywords,
    run: () => navigator.clipboard.writeText(text),
  })
  return [
    copy('Copy link to this page', href, 'url address share'),
    ...(id === undefined ? [] : [copy('Copy ID', id, 'identifier')]),
  ]
}

function useFormActions(): Action[] {
  const router = useRouter()
  const role = useOperation('whoami', {}, { staleTime: 60_000 }).data?.data.role
  const isAdmin = role === 'OWNER' || role === 'ADMIN'
  const granted = useOperation('getPermissions', { query: {} }, { enabled: !isAdmin, staleTime: 10_000 }).data?.data
  const may = (permission: Permission | undefined) =>
    permission === undefined ||
    (isAdmin && (permissionsOf[role] as readonly Permission[]).includes(permission)) ||
    [...(granted?.permissions ?? []), ...(granted?.inAnyScope ?? [])].includes(permission)
  const open = ({ command, to }: FormAction) => {
    requestCommand(command, to)
    router.navigate({ to })
  }
  return formActions
    .filter(({ permission }) => may(permission))
    .map((action) => ({
      label: formActionLabel(action),
      keywords: action.keywords,
      run: () => open(action),
    }))
}

function useGeneralActions(): Action[] {
  const router = useRouter()
  const signOut = useSignOut()
  const { setColorScheme } = useMantineColorScheme()
  const openTab = (address: string) => window.open(address, '_blank', 'noopener')
  return [
    {
      label: 'Import running services',
      keywords: 'adopt existing aws',
      run: () => router.navigate({ to: '/console/import' }),
    },
    ...colorSchemes.map(({ value, label }) => ({
      label: `Use the ${label.toLowerCase()} theme`,
      keywords: 'color scheme mode appearance',
      run: () => setColorScheme(value),
    })),
    { label: 'Show keyboard shortcuts', keywords: 'help keys', shortcut: '?', run: openKeyboardHelp },
    { label: 'Open the documentation', keywords: 'help guide docs', run: () => openTab('/docs/guide/') },
    { label: 'Open the API reference', keywords: 'help openapi docs', run: () => openTab('/docs') },
    { label: 'Sign out', keywords: 'log out leave', run: () => signOut.mutate() },
  ]
}

/** Signs in to another organization of the member. */
function useOrganizationActions(): Action[] {
  const router = useRouter()
  const organizations = useCompleteList('listOrganizations', {}).data ?? []
  return organizations
    .filter(({ isCurrent }) => !isCurrent)
    .map(({ id, name }) => ({
      label: `Switch to ${name}`,
      keywords: 'organization change tenant',
      detail: 'organization',
      run: () => router.navigate({ to: '/console/sign-in', search: { organization: id } }),
    }))
}
