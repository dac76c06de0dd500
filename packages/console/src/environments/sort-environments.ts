import type { Environment, Project } from '@sluice/contract'

/** Sorts environments by project name, and within a project by the configured order. */
export function sortEnvironments(
  environments: readonly Environment[],
  projects: readonly Pick<Project, 'id' | 'name'>[],
  orders: readonly (readonly string[])[],
): Environment[] {
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  const places = new Map(orders.flatMap((order) => order.map((id, place) => [id, place] as const)))
  const placeOf = ({ id }: Environment) => places.get(id) ?? Number.MAX_SAFE_INTEGER
  return environments.toSorted(
    (a, b) =>
      (names.get(a.projectId) ?? '').localeCompare(names.get(b.projectId) ?? '') ||
      a.projectId.localeCompare(b.projectId) ||
      placeOf(a) - placeOf(b) ||
      a.name.localeCompare(b.name),
  )
}
