import { createRouter, type Route, type Router } from '../wire/router.ts'
import { type Model, memberAt, type Shape, shapeOf } from './model.ts'

const routers = new WeakMap<Model, Router>()

/** Returns the router of a REST service, which knows all operations, simulated or not. */
export function routerOf(model: Model): Router {
  const known = routers.get(model) ?? createRouter(routesOf(model))
  routers.set(model, known)
  return known
}

/** Returns the routes of all operations of a REST service. */
export const routesOf = (model: Model): Route[] => [
  ...Object.entries(model.operations).map(([operation, { http = '', input }]) => ({
    operation,
    http,
    ...(input !== undefined && membersOf(shapeOf(model, input))),
  })),
  ...model.others.map(routeOfOther),
]

function membersOf({ members = {}, required = [] }: Shape): Omit<Route, 'operation' | 'http'> {
  const namesOf = (location: string, isRequired: boolean) =>
    Object.entries(members)
      .filter(([name, member]) => memberAt(member).location === location && required.includes(name) === isRequired)
      .map(([name, member]) => memberAt(member).locationName ?? name)
  return {
    requiredQuery: namesOf('querystring', true),
    optionalQuery: namesOf('querystring', false),
    requiredHeaders: namesOf('header', true),
  }
}

function routeOfOther(text: string): Route {
  const [operation = '', method, address, ...required] = text.split(' ')
  return {
    operation,
    http: `${method} ${address}`,
    requiredQuery: required.filter((name) => !name.endsWith(':')),
    requiredHeaders: required.filter((name) => name.endsWith(':')).map((name) => name.slice(0, -1)),
  }
}

/** Reports whether AWS has an operation of this name, simulated or not. */
export const hasOperation = ({ operations, others }: Model, name: string): boolean =>
  name in operations || others.some((other) => other.split(' ')[0] === name)
