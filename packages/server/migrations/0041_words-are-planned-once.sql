-- What a function in SQL asks for is planned anew at each call, which took half of the time that keeping words takes;
-- in PL/pgSQL it is planned once per connection.
CREATE OR REPLACE FUNCTION searched_texts(one deployments) RETURNS text[] LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT ARRAY[instance.given_id, instance.name, environment.given_id, environment.name,
      regexp_replace(image, '^.*/', ''), one.release #>> '{definition,source,ref}', one.description]
    FROM module_instances instance JOIN environments environment ON environment.id = one.environment_id,
      LATERAL (SELECT coalesce(one.release #>> '{taskDefinition,register,containerDefinitions,0,image}',
        one.release #>> '{definition,imageUri}', one.data ->> 'imageUri', one.data #>> '{deployedRelease,imageUri}',
        one.data #>> '{deployedTaskDefinition,definition,containerDefinitions,0,image}') AS image) AS released
    WHERE instance.id = one.module_instance_id);
END
$$;
