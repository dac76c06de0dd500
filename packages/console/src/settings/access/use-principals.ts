import { useCompleteList } from '../../api/use-pages.ts'

/** Member, service account or team with its display name. */
export type NamedPrincipal = { id: string; name: string }

export type Principals = { members: NamedPrincipal[]; teams: NamedPrincipal[]; nameOf: (id: string) => string }

/** Returns members, service accounts and teams with their names. */
export function usePrincipals(): Principals {
  const people = useCompleteList('listMemberships', {}).data ?? []
  const accounts = useCompleteList('listServiceAccounts', {}).data ?? []
  const teams = (useCompleteList('listTeams', {}).data ?? []).map(({ id, name }) => ({ id, name }))
  const members = [
    ...people.map(({ id, fullName, email }) => ({ id, name: fullName ?? email })),
    ...accounts.map(({ id, name }) => ({ id, name })),
  ]
  const names = new Map([...members, ...teams].map(({ id, name }) => [id, name]))
  return { members, teams, nameOf: (id) => names.get(id) ?? id }
}
