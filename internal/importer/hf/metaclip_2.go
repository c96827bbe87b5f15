package hf

var _ = define(Family{Type: "metaclip_2", Default: "MetaClip2Model", Classes: clips("MetaClip2", "metaclip_2")})
